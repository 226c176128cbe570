#!/usr/bin/env bats
# join.bats: tests of petal join.
load common

shop() {
    printf '%s\n' id,customer,item 1,7,rose 2,8,tulip 3,7,lily 4,9,daisy >orders.csv
    printf '%s\n' nr,name 7,Ann 9,Bob 7,"\"Ann, too\"" 5,Eve >people.csv
}

# refuses MESSAGE ARGUMENTS...: fails with status 2 and this message.
refuses() {
    local sentence=$1
    shift
    run --separate-stderr petal join "$@"
    is "$status" 2
    is "$stderr" "petal: $sentence"
}

# model WHAT: compares petal join with Python's.
model() {
    /usr/bin/python3 "$BATS_TEST_DIRNAME/join_model.py" "$PETAL" "$1"
}

# ---- Results ----

@test "rows with the same key are joined, in the order of A and then of B" {
    shop
    run --separate-stderr petal join orders.csv people.csv --on customer=nr
    is "$status" 0
    is "$output" 'id,customer,item,name
1,7,rose,Ann
1,7,rose,"Ann, too"
3,7,lily,Ann
3,7,lily,"Ann, too"
4,9,daisy,Bob'
    is "$stderr" "petal: orders.csv: 4 rows; the filter dropped 1; 0 false positives
petal: people.csv: 4 rows; filter of 328 B
petal: 5 rows joined"
    is "$(petal join orders.csv people.csv --on customer=nr 2>&1 | tail -n 1)" \
        "petal: 5 rows joined" # after the data
}

@test "left, right and outer joins also have rows without a partner" {
    shop
    run --separate-stderr petal join --type left orders.csv people.csv --on customer=nr
    is "$status" 0
    is "$output" 'id,customer,item,name
1,7,rose,Ann
1,7,rose,"Ann, too"
2,8,tulip,
3,7,lily,Ann
3,7,lily,"Ann, too"
4,9,daisy,Bob'
    is "$stderr" "petal: orders.csv: 4 rows; the filter ruled out a match for 1; 0 false positives
petal: people.csv: 4 rows; filter of 328 B
petal: 6 rows: 5 joined, 1 only in orders.csv"

    run --separate-stderr petal join --type right orders.csv people.csv --on customer=nr
    is "$status" 0
    is "$output" 'id,customer,item,name
1,7,rose,Ann
1,7,rose,"Ann, too"
3,7,lily,Ann
3,7,lily,"Ann, too"
4,9,daisy,Bob
,5,,Eve'
    is "$stderr" "petal: orders.csv: 4 rows; the filter dropped 1; 0 false positives
petal: people.csv: 4 rows; filter of 328 B
petal: 6 rows: 5 joined, 1 only in people.csv"

    run --separate-stderr petal join --type outer orders.csv people.csv --on customer=nr
    is "$status" 0
    is "$(tail -n 3 <<<"$output")" '3,7,lily,"Ann, too"
4,9,daisy,Bob
,5,,Eve'
    has "$output" '
2,8,tulip,
'
    is "${stderr_lines[2]}" \
        "petal: 7 rows: 5 joined, 1 only in orders.csv, 1 only in people.csv"
}

@test "semi and anti joins print rows of A, each once" {
    shop
    run --separate-stderr petal join --type semi orders.csv people.csv --on customer=nr
    is "$status" 0
    is "$output" 'id,customer,item
1,7,rose
3,7,lily
4,9,daisy'
    is "$stderr" "petal: orders.csv: 4 rows; the filter dropped 1; 0 false positives
petal: people.csv: 4 rows, 3 keys; filter of 328 B
petal: 3 rows with a match"

    run --separate-stderr petal join --both --type anti orders.csv people.csv --on customer=nr
    is "$status" 0
    is "$output" 'id,customer,item
2,8,tulip'
    is "$stderr" "petal: orders.csv: 4 rows; the filter ruled out a match for 1; 0 false positives
petal: people.csv: 4 rows, 2 keys kept; filter of 328 B
petal: 1 row without a match"
}

@test "empty keys match each other, in every type" {
    printf '%s\n' k,a ,1 x,2 >a.csv
    printf '%s\n' k,b ,3 y,4 >b.csv
    is "$(petal join --quiet --type outer a.csv b.csv)" 'k,a,b
,1,3
x,2,
y,,4'
    is "$(petal join --quiet --type anti a.csv b.csv)" 'k,a
x,2'
}

@test "a row that only B has shows its key in every column of A that stands for it" {
    printf '%s\n' p,q,r 1,1,x >a.csv
    printf '%s\n' k,v 1,y 2,z >b.csv
    is "$(petal join --quiet --type right a.csv b.csv --on p=k,q=k)" 'p,q,r,v
1,1,x,y
2,2,,z'
    is "$(petal join --quiet --type right a.csv b.csv --on q=k,q=k)" 'p,q,r,v
1,1,x,y
,2,,z'
}

@test "--both keeps only the rows of B that may match" {
    shop
    run --separate-stderr petal join --both orders.csv people.csv --on customer=nr
    is "$status" 0
    is "$(printf '%s\n' "$output" | wc -l)" 6
    has "$stderr" "people.csv: 4 rows, 3 kept; filter of 328 B"
}

@test "--reduce prints the rows of A that may match" {
    shop
    run --separate-stderr petal join --reduce orders.csv people.csv --on customer=nr
    is "$status" 0
    is "$output" 'id,customer,item
1,7,rose
3,7,lily
4,9,daisy'
    is "$stderr" "petal: orders.csv: 4 rows; the filter dropped 1; about 0 of the 3 printed have no match
petal: people.csv: 4 rows; filter of 328 B"
}

@test "without --on the key is all columns that both tables have" {
    printf '%s\n' year,month,a 1,2,x 1,3,y 2,2,z >a.csv
    printf '%s\n' month,b,year 2,p,1 2,q,2 1,r,2 >b.csv
    is "$(petal join --quiet a.csv b.csv)" 'year,month,a,b
1,2,x,p
2,2,z,q'
}

@test "all columns of the key must be equal, one by one" {
    printf '%s\n' p,q a,bc ab,c abc, ,abc >a.csv
    printf '%s\n' p,q,n ab,c,1 abc,,2 >b.csv
    is "$(petal join --quiet a.csv b.csv --on p,q)" 'p,q,n
ab,c,1
abc,,2'
    printf '%s\n' r,s,n c,ab,1 >b.csv
    is "$(petal join --quiet a.csv b.csv --on q=r,p=s)" 'p,q,n
ab,c,1'
}

@test "quotes do not matter for a value, and are written only if needed" {
    printf '"k","v"\r\n"1","plain"\r\n"2","say ""hi"""\r\n3,"two\r\nlines"\r\n' >a.csv
    printf '\xef\xbb\xbfk\n1\n2\n"3"' >b.csv
    is "$(petal join --quiet a.csv b.csv)" \
        "$(printf 'k,v\n1,plain\n2,"say ""hi"""\n3,"two\r\nlines"')"
}

@test "a column of B is renamed if the result has its name already" {
    printf '%s\n' id,name,town 1,x,u >a.csv
    printf '%s\n' name,id,town,name_2 y,1,v,w >b.csv
    run --separate-stderr petal join a.csv b.csv --on id
    is "$output" 'id,name,town,name_3,town_2,name_2
1,x,u,y,v,w'
    is "${#stderr_lines[@]}" 5
    is "${stderr_lines[2]}" "petal: b.csv: renamed name to name_3, town to town_2"
    run --separate-stderr petal join --json a.csv b.csv --on id
    is_json "$stderr"
    has "$stderr" '"renamed": 2'
    for type in semi anti; do # they print no column of B
        run --separate-stderr petal join --type $type a.csv b.csv --on id
        is "${lines[0]}" id,name,town
        is "${#stderr_lines[@]}" 4
    done
}

@test "a name that B has twice is renamed, and A keeps its names" {
    printf '%s\n' id,x,x 1,2,3 >a.csv
    printf '%s\n' 'key,y,y,"a,b","a,b",x,id,,' 1,4,5,6,7,8,9,10,11 >b.csv
    run --separate-stderr petal join a.csv b.csv --on id=key
    is "$output" 'id,x,x,y,y_2,"a,b","a,b_2",x_2,id_2,,_2
1,2,3,4,5,6,7,8,9,10,11'
    is "${stderr_lines[2]}" \
        "petal: b.csv: renamed y to y_2, a,b to a,b_2, x to x_2 and 2 more columns"
}

@test "the name of a key column of B is free" {
    printf '%s\n' id,x 1,2 >a.csv
    printf '%s\n' x_2,x 1,3 >b.csv
    is "$(petal join --quiet a.csv b.csv --on id=x_2)" 'id,x,x_2
1,2,3'
}

@test "60,000 columns of one name are renamed" {
    { yes x | head -n 60000 | paste -s -d , | sed 's/^/k,/' &&
        yes 1 | head -n 60001 | paste -s -d ,; } >b.csv
    printf '%s\n' k 1 >a.csv
    is "$(petal join --quiet a.csv b.csv --on k | head -n 1 | tr , '\n' | tail -n 1)" x_60000
}

@test "a row of one empty field is written as quotes" {
    printf 'k\n\n' >a.csv
    is "$(petal join --quiet a.csv a.csv)" 'k
""'
}

@test "-d sets the separator, and then a comma is not special" {
    printf 'k\tv\n1,1\t"a\tb"\n' >a.tsv
    printf 'k\tw\n1,1\tc,d\n' >b.tsv
    is "$(petal join --quiet -d '\t' a.tsv b.tsv)" "$(printf 'k\tv\tw\n1,1\t"a\tb"\tc,d')"
    printf 'k;v\n1;2,3\n' >a.csv
    is "$(petal join --quiet --delimiter ';' a.csv a.csv --on k)" \
        "$(printf 'k;v;v_2\n1;2,3;2,3')"
}

@test "compressed tables and standard input are read" {
    shop
    petal join --quiet orders.csv people.csv --on customer=nr >plain
    gzip -k orders.csv
    is "$(petal join --quiet orders.csv.gz - --on customer=nr <people.csv)" "$(cat plain)"
    is "$(petal join --quiet - people.csv --on customer=nr <orders.csv.gz)" "$(cat plain)"
    zstd -q people.csv
    is "$(petal join --quiet --both orders.csv.gz people.csv.zst --on customer=nr)" "$(cat plain)"
}

@test "a table can be joined with itself" {
    printf '%s\n' id,parent 1,0 2,1 3,1 >a.csv
    is "$(petal join --quiet a.csv a.csv --on parent=id)" 'id,parent,parent_2
2,1,0
3,1,0'
}

@test "every type of join is the same as in Python, at any rate" {
    model types
}

@test "joins of tables without a header are the same as in Python" {
    model headless
}

@test "--no-header takes column numbers and prints no header" {
    printf '%s\n' 1,7,rose 2,8,tulip >orders.csv
    printf '%s\n' Ann,7 Bob,9 >people.csv
    is "$(petal join --quiet --no-header orders.csv people.csv --on 2=2)" 1,7,rose,Ann
    is "$(petal join --quiet --no-header orders.csv people.csv --on 2)" 1,7,rose,Ann
    is "$(petal join --quiet --no-header --type outer orders.csv people.csv --on 2)" \
        '1,7,rose,Ann
2,8,tulip,
,9,,Bob'
    is "$(petal join --quiet --no-header --both orders.csv people.csv --on 1=2,2=2)" ""
    is "$(petal join --quiet --no-header --reduce - people.csv --on 2 <orders.csv)" 1,7,rose
    printf '\xef\xbb\xbf7\n8\n' >keys.csv
    is "$(petal join --quiet --no-header --type semi orders.csv keys.csv --on 2=1 | wc -l)" 2
}

@test "--reduce drops no row that matches" {
    model reduce
}

@test "fields with newlines may span blocks of the input" {
    /usr/bin/python3 -c '
import csv
with open("a.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["k", "v"])
    for i in range(3000):
        w.writerow([i, "line\n\"quoted\"\r\n" * (i % 50)])
with open("b.csv", "w") as f:
    f.write("k\n" + "".join(f"{i}\n" for i in range(3000)))
with open("a.csv", newline="") as f:
    with open("want.csv", "w", newline="") as g:
        csv.writer(g, lineterminator="\n").writerows(csv.reader(f))'
    petal join --quiet a.csv b.csv >got.csv
    cmp got.csv want.csv
    petal join --quiet b.csv a.csv >got.csv
    cmp got.csv want.csv
}

@test "a million rows need little memory, and the filter keeps its rate" {
    awk 'BEGIN { print "k,text"; for (i = 0; i < 1000; i++) print i * 1000 ",b" }' >b.csv
    awk 'BEGIN { print "k,words"; for (i = 0; i < 1000000; i++)
        print i ",a row that would take a hundred bytes had it not fewer" }' >a.csv
    /usr/bin/python3 - "$PETAL" <<'PY'
import json, resource, subprocess, sys
for options in [["a.csv", "b.csv"], ["--both", "b.csv", "a.csv"]]:
    ran = subprocess.run([sys.argv[1], "join", "--json", "--on", "k", *options],
                         capture_output=True, check=True)
    told = json.loads(ran.stderr)
    assert ran.stdout.count(b"\n") == 1001 == told["printed"] + 1, told
    if options[0] == "a.csv":
        assert told["dropped"] + told["false_positives"] == 999000, told
        assert told["false_positives"] < 11000, told  # 1% of 999,000 and ten deviations
    else:
        assert told["b_kept"] < 12000, told
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
assert used < 48, used  # MiB; the table has 60
PY
}

@test "a semi join keeps each key of B once" {
    awk 'BEGIN { print "k,words"; for (i = 0; i < 1000000; i++)
        print i % 1000 ",a row that would take a hundred bytes had it not fewer" }' >b.csv
    seq 0 1001 | sed '1s/.*/k/' >a.csv
    /usr/bin/python3 - "$PETAL" <<'PY'
import json, resource, subprocess, sys
for kind, printed in [("semi", 999), ("anti", 2)]:
    ran = subprocess.run([sys.argv[1], "join", "--json", "--type", kind, "a.csv", "b.csv"],
                         capture_output=True, check=True)
    told = json.loads(ran.stderr)
    assert told["b_rows"] == 1000000 and told["b_kept"] == 1000, told
    assert told["printed"] == printed == ran.stdout.count(b"\n") - 1, told
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
assert used < 24, used  # MiB; the table has 60
PY
}

@test "--both takes any number of keys, even at the lowest rate" {
    seq 2200000 | sed '1s/.*/k/' >a.csv
    printf '%s\n' k 2 1000000 2200000 2200001 >b.csv
    is "$(petal join --quiet --both -p 0.01% a.csv b.csv | tr '\n' ' ')" \
        "k 2 1000000 2200000 "
}

# ---- Reports ----

@test "a filter that saves little is reported" {
    seq 0 100 | sed '1s/.*/k/' >b.csv
    { cat b.csv && printf '%s\n' x y z w; } >a.csv
    run --separate-stderr petal join a.csv b.csv
    is "${stderr_lines[3]}" \
        "petal: the filter saved little: 96.2% of the rows of a.csv match"
    run --separate-stderr petal join --reduce a.csv b.csv
    is "${stderr_lines[2]}" \
        "petal: the filter saved little: 96.2% of the rows of a.csv may match"
    for i in $(seq 10); do echo "more $i"; done >>a.csv
    run --separate-stderr petal join a.csv b.csv
    is "${#stderr_lines[@]}" 3
}

@test "--json prints the report to standard error" {
    shop
    run --separate-stderr petal join --json orders.csv people.csv --on customer=nr
    is "${#lines[@]}" 6
    is_json "$stderr"
    is "$(sed 's/"false_positives_expected": [^,]*/"false_positives_expected": 0/' <<<"$stderr")" \
        '{"type": "inner", "a_rows": 4, "b_rows": 4, "b_kept": 4, "ruled_out": 1, "dropped": 1, '\
'"false_positives": 0, "false_positives_expected": 0, "printed": 5, "only_a": 0, "only_b": 0, '\
'"filter_bytes": 328, "renamed": 0, "useful": true}'
    run --separate-stderr petal join --json --reduce --both orders.csv people.csv \
        --on customer=nr
    is_json "$stderr"
    has "$stderr" '{"type": "reduce"'
    has "$stderr" '"b_kept": 3, "ruled_out": 1, "dropped": 1, "false_positives_expected"'
    has "$stderr" '"printed": 3'
}

@test "--quiet prints nothing" {
    shop
    run --separate-stderr petal join --quiet --json orders.csv people.csv --on customer=nr
    is "$stderr" ""
    is "${#lines[@]}" 6
}

@test "a table without rows exits with 1" {
    shop
    echo nr,name >none.csv
    for options in "" --both --reduce "--both --reduce"; do
        run --separate-stderr petal join $options orders.csv none.csv --on customer=nr
        is "$status" 1
        is "${#lines[@]}" 1
        has "$stderr" "dropped 4;"
        run --separate-stderr petal join $options none.csv orders.csv --on nr=customer
        is "$status" 1
        is "${#lines[@]}" 1
        has "$stderr" "none.csv: 0 rows; the filter dropped 0;"
    done
}

@test "a closed pipe is not an error" {
    seq 100000 >a.csv
    closed_pipe join a.csv a.csv
    closed_pipe join --reduce a.csv a.csv
}

# ---- Errors ----

@test "a missing or empty file is an error that names it" {
    shop
    refuses "nowhere.csv: No such file or directory" nowhere.csv people.csv
    refuses "nowhere.csv: No such file or directory" --both nowhere.csv people.csv
    refuses "nowhere.csv: No such file or directory" orders.csv nowhere.csv
    refuses ".: Is a directory" . people.csv
    refuses "an argument is missing; usage: petal join A.csv B.csv [--on NAME[=NAME][,NAME[=NAME]]...]" orders.csv
    : >empty.csv
    refuses "empty.csv: the file is empty; a table needs a header line" empty.csv people.csv
    refuses "empty.csv: the file is empty; a table needs a header line" --both empty.csv people.csv
    refuses "empty.csv: the file is empty; a table needs a header line" orders.csv empty.csv
    run --separate-stderr petal join - people.csv </dev/null
    is "$stderr" "petal: standard input: the file is empty; a table needs a header line"
}

@test "a missing or duplicate column is an error that names it" {
    shop
    refuses 'people.csv: the header has no column "customer"; use --on A=B if the names differ' \
        orders.csv people.csv --on customer
    refuses 'orders.csv: the header has no column "nr"; use --on A=B if the names differ' \
        orders.csv people.csv --on id=nr,nr
    refuses 'orders.csv: the header has no column ""; use --on A=B if the names differ' orders.csv people.csv --on ""
    refuses 'people.csv: the header has no column ""; use --on A=B if the names differ' orders.csv people.csv --on id=
    refuses "orders.csv and people.csv have no column in common; name the columns to compare with --on" \
        orders.csv people.csv
    printf '%s\n' nr,nr 1,2 >twice.csv
    refuses 'twice.csv: the header has two columns "nr"; rename one' twice.csv people.csv
    refuses 'twice.csv: the header has two columns "nr"; rename one' people.csv twice.csv --on nr
}

@test "a wrong column number is an error that names it" {
    printf '%s\n' 1,7,rose >orders.csv
    printf '%s\n' Ann,7 >people.csv
    refuses "--no-header needs --on with column numbers, such as --on 1=3,2" \
        --no-header orders.csv people.csv
    refuses "people.csv: --on names column 3, but the first row has 2 fields" \
        --no-header orders.csv people.csv --on 1,2=3
    refuses "orders.csv: --on names column 4, but the first row has 3 fields" \
        --no-header orders.csv people.csv --on 4=1
    for number in 0 x 1x -1 " 1" 99999999999999999999 18446744073709551617; do
        run --separate-stderr petal join --no-header orders.csv people.csv --on "2=$number"
        is "$status" 2
        one_sentence "$stderr"
    done
    for number in "" 0 x 1x -1 +1 1.0; do
        refuses "--on: \"$number\" is not a column number; with --no-header, write --on 1=3,2" \
            --no-header orders.csv people.csv --on "1,$number=2"
    done
    refuses 'orders.csv: the header has no column "2"; use --on A=B if the names differ' \
        orders.csv people.csv --on 2
    printf '%s\n' Ann,7 Bob >people.csv
    refuses "people.csv:2: 1 field, but the first row has 2" \
        --no-header orders.csv people.csv --on 2
}

@test "without a header, an empty table is an error only if its columns are printed" {
    printf '%s\n' 1,7,rose >orders.csv
    : >none.csv
    is "$(petal join --quiet --no-header --type anti orders.csv none.csv --on 2=9)" 1,7,rose
    for type in inner right semi; do
        run --separate-stderr petal join --no-header --type $type orders.csv none.csv --on 2=9
        is "$status $output" "1 "
    done
    for type in left outer; do
        refuses "none.csv: the file is empty, so the number of its columns is unknown; --type $type needs a row, or headers" \
            --no-header --type $type orders.csv none.csv --on 2
    done
    for type in right outer; do
        refuses "none.csv: the file is empty, so the number of its columns is unknown; --type $type needs a row, or headers" \
            --no-header --type $type none.csv orders.csv --on 2
    done
}

@test "an invalid option is an error that names it" {
    shop
    for p in 0 1 100% 5; do
        run --separate-stderr petal join -p $p orders.csv people.csv --on customer=nr
        is "$status" 2
        has "$stderr" "%: the rate must be at least 0.01% and below 100%"
        one_sentence "$stderr"
    done
    refuses "-p many: not a rate such as 0.01, 1% or 1e-2" -p many orders.csv people.csv
    refuses "-d ;;: the separator must be one character, other than a quote or newline" \
        -d ';;' orders.csv people.csv
    refuses '-d ": the separator must be one character, other than a quote or newline' \
        -d '"' orders.csv people.csv
    refuses "-d : the separator must be one character, other than a quote or newline" \
        -d '' orders.csv people.csv
    for type in "" full LEFT inner,left; do
        refuses "--type $type: no such type of join; use inner, left, right, outer, semi or anti" \
            --type "$type" orders.csv people.csv
    done
    refuses "--nonsense: no such option; see petal help join" \
        --nonsense orders.csv people.csv
}

@test "options that exclude each other are an error" {
    shop
    for type in inner left right outer semi anti; do
        refuses "--reduce prints rows that may match, so it has no --type; use --type semi without it for those that do" \
            --reduce --type $type orders.csv people.csv --on customer=nr
    done
    for type in right outer; do
        refuses "--both drops rows of B, but --type $type prints them all; leave out --both" \
            --both --type $type orders.csv people.csv --on customer=nr
        refuses "--on compares a column of orders.csv with two columns of people.csv, but --type $type has to print both in one; compare it with one" \
            --type $type orders.csv people.csv --on customer=nr,id=name,customer=name
    done
}

@test "a pipe cannot be read twice" {
    shop
    refuses "-: only one of the tables can be standard input" - -
    refuses "-: --both reads the first table twice; use a file" --both - people.csv
    mkfifo pipe
    refuses "pipe: --both reads the first table twice; use a file" --both pipe people.csv
    petal join --quiet <(cat orders.csv) <(cat people.csv) --on customer=nr >joined
    is "$(wc -l <joined)" 6
}

@test "malformed CSV is an error with the line number" {
    shop
    printf 'nr,v\n1,2\n\n' >bad.csv
    refuses "bad.csv:3: 1 field, but the header has 2" bad.csv people.csv
    printf 'nr,v\n"1\n1",2\n1,2,3\n' >bad.csv
    refuses "bad.csv:4: 3 fields, but the header has 2" people.csv bad.csv
    refuses "bad.csv:4: 3 fields, but the header has 2" --both bad.csv people.csv
    printf 'nr,v\n1,"2"3\n' >bad.csv
    refuses "bad.csv:2: text after a closing quote; double a quote inside a quoted field" bad.csv people.csv
    printf 'nr,v\n1,2\n1,5" disk\n1,5" disk\n' >bad.csv
    refuses "bad.csv:3: quote inside an unquoted field; quote the whole field and double the quote" \
        bad.csv people.csv
    printf 'nr,v\n1,"2\n3,4\n' >bad.csv
    refuses "bad.csv:2: the quote is not closed" bad.csv people.csv
    printf 'nr,"v\n' >bad.csv
    refuses "bad.csv:1: the quote is not closed" bad.csv people.csv
    printf '"' >bad.csv
    refuses "bad.csv:1: the quote is not closed" bad.csv people.csv
    printf '%70000s\n' '' | tr ' ' , >bad.csv
    refuses "bad.csv:1: the row has more than 65,536 fields; check the delimiter (-d)" bad.csv people.csv
    { printf 'nr\n1\n"' && yes | head -c 17000000; } >bad.csv
    refuses "bad.csv:3: the row is longer than 16 MiB; check for an unclosed quote" \
        bad.csv people.csv
}

@test "a truncated compressed table is an error" {
    seq 10000 | gzip | head -c 1000 >cut.csv.gz
    run --separate-stderr petal join --on 1 cut.csv.gz cut.csv.gz
    is "$status" 2
    is "$stderr" "petal: cut.csv.gz: the compressed file is truncated"
}

@test "a row may be long" {
    { printf 'k,v\n1,"' && yes | head -c 8000000 && printf '"\n'; } >a.csv
    printf '%s\n' k 1 >b.csv
    petal join --quiet a.csv b.csv | cmp - a.csv
    petal join --quiet b.csv a.csv | cmp - a.csv
}
